import type { Thing } from './things.ts';

/** With which credential requests are shown: the anon key, a user's token beside it, or the service key. */
export type Caller = 'anon' | 'user' | 'service';

export type Deed = 'read' | 'filter' | 'insert' | 'update' | 'delete' | 'call';

const all: readonly Deed[] = ['read', 'filter', 'insert', 'update', 'delete'];
const reading: readonly Deed[] = ['read', 'filter'];

interface Access {
  /** What the caller may do. */
  readonly deeds: readonly Deed[];
  /** What there is to say of the rest. */
  readonly note: string | undefined;
}

const byPolicy: Readonly<Record<string, { readonly anon: Access; readonly user: Access }>> = {
  user_owns_rows: {
    anon: { deeds: reading, note: 'A visitor sees no row here, and changes none. Each user has rows of their own.' },
    user: { deeds: all, note: 'A user sees and changes their own rows.' },
  },
  public_read_authenticated_write: {
    anon: { deeds: reading, note: 'Changes need a signed-in user.' },
    user: { deeds: all, note: undefined },
  },
  public_read_append_only: {
    anon: { deeds: [...reading, 'insert'], note: 'Rows are read and added. Only the service key changes them.' },
    user: { deeds: [...reading, 'insert'], note: 'Rows are read and added. Only the service key changes them.' },
  },
  public_read_write_UNRESTRICTED: {
    anon: { deeds: all, note: 'Everybody reads and changes every row.' },
    user: { deeds: all, note: 'Everybody reads and changes every row.' },
  },
};

/** What a caller may do with a thing; undefined where it is not there for that caller. */
export function accessOf(thing: Thing, caller: Caller): Access | undefined {
  const whole = thing.kind === 'function' ? (['call'] as const) : thing.kind === 'view' ? reading : all;
  if (caller === 'service')
    return { deeds: whole, note: 'The service key goes past row security. Keep it on servers.' };
  if (!thing.isExposed) return undefined;
  if (thing.kind === 'function') {
    const role = caller === 'anon' ? 'anon' : 'authenticated';
    return thing.roles.includes(role) ? { deeds: whole, note: undefined } : undefined;
  }
  const own = thing.policy === undefined ? undefined : byPolicy[thing.policy]?.[caller];
  const { deeds, note } = own ?? { deeds: all, note: 'Its own policies decide which of these succeed.' };
  return thing.kind === 'view' ? { deeds: reading, note } : { deeds, note };
}
