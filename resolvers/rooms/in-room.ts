/**
 * "Of the room `$2`", for statements that find a row by something else, such as its id. Said in a way that no index can
 * be asked for: a prepared statement is planned without its values, and for all Postgres knows a room holds one row, so
 * it would as soon read a room of a million messages through as look up the id.
 */
export const inRoom = '(room_key = $2) is true';
