import { useState } from 'react';
import { type Envelope, refusal } from '../../graph/envelope.ts';
import { useSearch } from '../../search.ts';
import type { Caller } from './access-of.ts';
import type { Keys } from './keyed-code.tsx';

/** A user of the project who is signed in on this page alone. */
interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** As whom the page shows and sends requests. */
export interface CallerState {
  readonly caller: Caller;
  readonly setCaller: (caller: Caller) => void;
  readonly user: TestUser | undefined;
  /** @returns the refusal, if there is one */
  readonly signIn: (email: string, password: string) => Promise<Envelope | undefined>;
  readonly signOut: () => void;
  readonly keys: Keys;
  readonly setShown: (areShown: boolean) => void;
  /** Headers of a request; undefined where the keys may not be read. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

interface ProjectKeys {
  readonly anonKey: string;
  readonly serviceKey: string;
}

/** @param projectKeys undefined for a member who may not read them */
export function useCaller(projectKeys: ProjectKeys | undefined): CallerState {
  const [named, setNamed] = useSearch('as', 'anon');
  const [user, setUser] = useState<TestUser>();
  const [areShown, setShown] = useState(false);
  const caller: Caller = named === 'service' || named === 'user' ? named : 'anon';
  const key = caller === 'service' ? projectKeys?.serviceKey : projectKeys?.anonKey;
  const token = caller === 'user' ? user?.token : undefined;
  const isKnown = key !== undefined && (caller !== 'user' || token !== undefined);
  return {
    caller,
    setCaller: (next) => setNamed(next, { replace: true }),
    user,
    async signIn(email, password) {
      const response = await fetch('/auth/v1/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json', apikey: projectKeys?.anonKey ?? '' },
        body: JSON.stringify({ grant_type: 'password', email, password }),
      }).catch(() => undefined);
      if (response === undefined) return refusal('NO_ANSWER', 'The gateway did not answer.');
      const body = await response.json().catch(() => ({}));
      if (!response.ok)
        return refusal(String(body.code ?? response.status), String(body.message ?? 'The sign-in was refused.'));
      setUser({ id: body.user.id, email: body.user.email, token: body.access_token });
      return undefined;
    },
    signOut: () => setUser(undefined),
    keys: { key, keyName: caller === 'service' ? 'SERVICE_KEY' : 'ANON_KEY', token, areShown },
    setShown,
    headers: isKnown
      ? { apikey: key, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
      : undefined,
  };
}
