-- Drops the texts of CSV files once they are typed. Gives no row.
DROP TABLE IF EXISTS memory.main.csv_text
