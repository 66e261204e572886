"""The simulated rack: a physics model, rendered as the text of /proc and /sys and as OIDs, behind real SSH and SNMP."""
