-- Who a row is of, as UTF-8: the digest alone cannot be moved back into files. Filled by the next save.
ALTER TABLE memory ADD COLUMN user_name bytea;
