import { findPerson, type Person } from './person.ts';
import { type Signer, signatureMs, signIn } from './siwx.ts';

/** By what the connection is opened, and opened again when it was lost. */
export interface Opening {
  /** What the next connection shows; undefined when there is nothing any more that it could show. */
  readonly params: () => Promise<Record<string, unknown> | undefined>;
  /** Whether the next connection asks somebody before it is opened. */
  readonly asks: () => boolean;
  /** Asks them. @throws when they refuse */
  readonly ask: () => Promise<void>;
  /** Why it was not let in, as far as that can be known here. */
  readonly refused: string;
  /** Looks whether it is good no more, when an operation was refused for who sent it. */
  readonly isOver: () => Promise<boolean>;
}

/** A signature that is nearly too old is not worth a connection, in milliseconds. */
const worthMs = signatureMs - 30_000;

/** Each connection takes a signature. @param first one that was just made */
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
      // Spent by this connection, whatever comes of it.
      signature = undefined;
      return { 'sign-in-with-x': header };
    },
    // Nobody should meet a wallet's question that they did not ask for.
    asks: () => signer.kind === 'wallet' && (signature === undefined || Date.now() - signature.madeAt >= worthMs),
    ask,
    refused: 'The gateway did not take the signature. Is the clock of this device right?',
    isOver: async () => false,
  };
}

/** The browser shows its cookie by itself; with it goes the word of the session, which may have changed since. */
export function byPerson(person: Person): Opening {
  const same = async () => {
    const found = await findPerson();
    return found?.principalId === person.principalId ? found : undefined;
  };
  return {
    async params() {
      // Without an answer the connection fails as well, and is tried again.
      const found = await same().catch(() => person);
      return found === undefined ? undefined : { 'x-svc-csrf': found.csrf };
    },
    asks: () => false,
    ask: async () => undefined,
    refused: 'Your session has ended. Sign in again to go on.',
    isOver: () =>
      same().then(
        (found) => found === undefined,
        () => false,
      ),
  };
}
