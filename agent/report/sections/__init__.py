"""The report's sections, one file each: from `Data` to prose, tables and figures."""
