-- How far the agent has read in its room.
create table agent (name text primary key, cursor text not null);
