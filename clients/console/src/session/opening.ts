import { findPerson, type Person } from './person.ts';
import { type Signer, signatureMs, signIn } from './siwx.ts';

/** Authenticates the connection, at first and at each reconnect. */
export interface Opening {
  /** The credential for the next connection; undefined when none is left. */
  readonly params: () => Promise<Record<string, unknown> | undefined>;
  /** Whether the user has to act before the next connection opens. */
  readonly asks: () => boolean;
  /** Asks the user. @throws when they refuse */
  readonly ask: () => Promise<void>;
  /** Why the gateway rejected the connection, as far as the console can know. */
  readonly refused: string;
  /** Checks the credential of the connection, for example after the gateway refused an operation because of its caller. */
  readonly check: () => Promise<Standing>;
}

/** `changed`: another one took its place, for which a new connection has to be opened. */
export type Standing = 'good' | 'changed' | 'over';

/** A signature older than this is not used for a connection, since it expires soon; in milliseconds. */
const worthMs = signatureMs - 30_000;

/** Each connection needs a signature of its own. @param first a signature that was just made */
export function bySigner(signer: Signer, first: string): Opening {
  let signature: { readonly header: string; readonly madeAt: number } | undefined = {
    header: first,
    madeAt: Date.now(),
  };
  const ask = async () => {
    signature = { header: await signIn(signer), madeAt: Date.now() };
  };
  return {
    async params() {
      if (signature === undefined && signer.kind === 'key') await ask();
      const header = signature?.header;
      // A connection spends its signature, even if it fails.
      signature = undefined;
      return { 'sign-in-with-x': header };
    },
    // A wallet must not open its prompt without an action of the user.
    asks: () => signer.kind === 'wallet' && (signature === undefined || Date.now() - signature.madeAt >= worthMs),
    ask,
    refused: 'The gateway did not take the signature. Is the clock of this device right?',
    check: async () => 'good',
  };
}

/**
 * The browser sends its cookie with the connection. The person may have signed in again in another tab, with another
 * session and another CSRF token, so the token is read again.
 */
export function byPerson(person: Person): Opening {
  let opened = person.csrf;
  const same = async () => {
    const found = await findPerson();
    return found?.principalId === person.principalId ? found : undefined;
  };
  return {
    async params() {
      // Without an answer the connection fails too, and is tried again.
      const found = await same().catch(() => person);
      if (found === undefined) return undefined;
      opened = found.csrf;
      return { 'x-svc-csrf': opened };
    },
    asks: () => false,
    ask: async () => undefined,
    refused: 'Your session has ended. Sign in again to go on.',
    check: () =>
      same().then(
        (found) => (found === undefined ? 'over' : found.csrf === opened ? 'good' : 'changed'),
        () => 'good',
      ),
  };
}
