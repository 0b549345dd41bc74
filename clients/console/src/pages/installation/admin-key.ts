import { Client, cacheExchange, fetchExchange, mapExchange } from '@urql/core';
import { type Envelope, envelopeOf } from '../../graph/envelope.ts';
import { session } from '../../session/session.ts';
import { createStore } from '../../store.ts';
import { AdminKeyDocument } from './installation.graphql.ts';

/** The connection of the platform admin. The key is in its memory alone, and all pages of the installation share it. */
export type AdminAccess =
  | { readonly state: 'closed'; readonly wrong: boolean }
  | { readonly state: 'open'; readonly client: Client };

export const access = createStore<AdminAccess>({ state: 'closed', wrong: false });

/** Forgets the key. @param wrong whether because the gateway does not take it any more */
export const forgetKey = (wrong = false): void => access.set({ state: 'closed', wrong });

// The next member of this browser need not hold the key.
session.listen(() => {
  const current = session.get();
  if (current.state === 'out' && current.waiting === undefined) forgetKey();
});

/** Codes by which the gateway says that a key is not the admin's. */
const refusals: readonly string[] = ['INVALID_AUTH', 'ADMIN_REQUIRED'];
const isRefusal = ({ code }: Envelope): boolean => refusals.includes(code);

/** The console's own connection is authenticated as another caller, so these requests go over plain HTTP. */
const clientOf = (key: string): Client =>
  new Client({
    url: `${location.origin}/graphql`,
    preferGetMethod: false,
    exchanges: [
      mapExchange({
        onError: (error) => {
          if (access.get().state === 'open' && isRefusal(envelopeOf(error))) forgetKey(true);
        },
      }),
      cacheExchange,
      fetchExchange,
    ],
    fetchOptions: { headers: { 'x-admin-key': key } },
  });

/**
 * Tries a key, and keeps it when the gateway takes it.
 *
 * @returns why it was not taken: `wrong`, or what kept the gateway from answering; undefined when it was
 */
export async function openWith(key: string): Promise<'wrong' | Envelope | undefined> {
  const client = clientOf(key);
  const { error } = await client.query(AdminKeyDocument, {}).toPromise();
  if (error === undefined) {
    access.set({ state: 'open', client });
    return undefined;
  }
  const envelope = envelopeOf(error);
  return isRefusal(envelope) ? 'wrong' : envelope;
}
