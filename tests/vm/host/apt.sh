# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by image and kernel: what the machine's own apt is set to, so that no mirror is named here.

# release: the code name of the machine's release
release() {
    # shellcheck source=/dev/null
    (. /etc/os-release && echo "$VERSION_CODENAME")
}

# apt_sources: one "deb" line for each of the machine's sources of its release and nothing else: third-party ones have
# no place in a test
apt_sources() {
    # shellcheck disable=SC2016  # apt-get replaces them
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
        | awk -v r="$(release)" '$2 ~ "^" r "(-updates|-security)?$" { print "deb", $1, $2, $3 }' | sort -u
}

# apt_mirrors: where the machine's release itself comes from, one address a line
apt_mirrors() { apt_sources | awk -v r="$(release)" '$3 == r && $4 == "main" { print $2 }'; }

# apt_settings: what an apt with directories of its own needs of the machine's settings to reach a mirror. Downloads are
# root's: the user that apt would take may not be able to look into the cache.
apt_settings() {
    echo 'APT::Sandbox::User "root";'
    apt-config dump | grep -iE '^Acquire::([a-z]+::Proxy|Check-(Valid-Until|Date))' || true
}
