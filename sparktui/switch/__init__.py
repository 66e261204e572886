"""The switch over SNMP: which objects are asked, what their values mean, and which node hangs on which port."""
