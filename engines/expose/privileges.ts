export type Privilege = 'select' | 'insert' | 'update' | 'delete';

/** Who may do what, before rows are looked at. */
export type Privileges = ReadonlyMap<string, ReadonlySet<Privilege>>;
