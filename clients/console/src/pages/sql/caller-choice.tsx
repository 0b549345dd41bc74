import { Select, Switch, TextField } from '../../design/field.tsx';
import { useSearch } from '../../search.ts';
import type { SqlCallerInput } from './sql.graphql.ts';

const callers = [
  { id: 'owner', name: 'Owner' },
  { id: 'anon', name: 'Visitor (anon)' },
  { id: 'authenticated', name: 'User…' },
];

/** As whom SQL is run, and whether it is kept. */
export interface Manner {
  readonly caller: string;
  readonly setCaller: (caller: string) => void;
  /** Address or id of the user. It is no part of the page's address. */
  readonly user: string;
  readonly setUser: (user: string) => void;
  readonly rollback: boolean;
  readonly setRollback: (rollback: boolean) => void;
}

export function useManner([user, setUser]: readonly [string, (user: string) => void]): Manner {
  const [caller, setCaller] = useSearch('as', 'owner');
  const [rollback, setRollback] = useSearch('rollback', 'off');
  return {
    caller: callers.some(({ id }) => id === caller) ? caller : 'owner',
    setCaller: (id) => setCaller(id, { replace: true }),
    user,
    setUser,
    rollback: rollback === 'on',
    setRollback: (on) => setRollback(on ? 'on' : 'off', { replace: true }),
  };
}

/** What the gateway is told of the caller; undefined for the owner. */
export function callerInput({ caller, user }: Manner): SqlCallerInput | undefined {
  if (caller === 'anon') return { role: 'ANON' };
  if (caller !== 'authenticated') return undefined;
  const named = user.trim();
  return { role: 'AUTHENTICATED', ...(named.includes('@') ? { email: named } : { user: named }) };
}

/** The manner in words, for the history; undefined for the usual one. */
export function mannerWords({ caller, user, rollback }: Manner): string | undefined {
  const as = caller === 'owner' ? '' : caller === 'anon' ? 'as anon' : `as ${user.trim()}`;
  return [as, rollback ? 'rolled back' : ''].filter((one) => one !== '').join(', ') || undefined;
}

export function CallerChoice({ manner }: { readonly manner: Manner }) {
  const { caller, setCaller, user, setUser, rollback, setRollback } = manner;
  return (
    <div className="sql-manner">
      <Select label="Run as" options={callers} value={caller} onChange={setCaller} />
      {caller === 'authenticated' && (
        <TextField
          label="User"
          value={user}
          onChange={setUser}
          placeholder="ada@example.com or an id"
          autoComplete="off"
          spellCheck="false"
        />
      )}
      <Switch isSelected={rollback} onChange={setRollback}>
        Roll back after the run
      </Switch>
    </div>
  );
}
