# SPDX-License-Identifier: MIT
# summary: check-policy without files looks at what is installed: the policy, and the settings where there are some
# boot: shared
# timeout: 60

settings=/etc/setrad/setrad.yaml

# checked STATUS: what it says goes to $said
checked() {
    local status=0
    said=$(setractl check-policy 2>&1) || status=$?
    assert_eq "$status" "$1" "exit status of check-policy, which says: $said"
}

rm -f $settings
checked 0
assert_eq "$said" "2 rules from 1 file: good
no $settings: all settings have their defaults" "what it says without settings"

# As a person would begin: the sample as it is, then with every line of it.
cp /usr/share/doc/setrad/examples/setrad.yaml $settings
checked 0
assert_eq "$said" "2 rules from 1 file: good
settings from $settings: good" "what it says of the sample"
sed -i 's/^#\([a-z]\)/\1/' $settings
checked 0

sed -i 's/^workers:.*/workers: many/' $settings
checked 1
[[ $said =~ ^$settings:[0-9]+:10:\ workers:\ \"many\"\ is\ no\ whole\ number ]] || fail "what it says: $said"
assert_eq "$({ setractl check-policy --json || :; } | jq -c '[.rules, .files[1].file, .files[1].settings]')" \
    "[2,\"$settings\",null]" "its JSON"
