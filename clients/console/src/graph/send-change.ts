import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { Client, type CombinedError, fetchExchange } from '@urql/core';
import { type Person, renewed } from '../session/person.ts';
import { knownApproval, prove, type Wanted, wantedBy } from '../session/proof.ts';
import { session } from '../session/session.ts';
import { envelopeOf } from './envelope.ts';

interface Sent<Data> {
  readonly data?: Data | undefined;
  readonly error?: CombinedError | undefined;
}

/** Whether a mutation took effect. It may have, although the gateway refuses the caller a field of its answer. */
export const tookPlace = ({ data, error }: Sent<unknown>): boolean =>
  error === undefined || Object.values(data ?? {}).some((made) => made !== null);

/**
 * Sends a mutation. If the person's session needs a proof, asks the person for it and sends the mutation again under
 * the same idempotency key.
 */
export async function sendChange<Data, Variables extends object>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Sent<Data>> {
  const send = (by: Client): Promise<Sent<Data>> => by.mutation(document, variables).toPromise();
  const first = await send(client);
  const current = session.get();
  if (tookPlace(first) || current.state !== 'in' || current.member.kind !== 'person') return first;
  const { member, link } = current;
  const wanted = wantedBy(envelopeOf(first.error));
  if (wanted === undefined) return first;
  // The proof goes to the session that the browser has now, so the connection has to be of that one.
  await link.doubt();
  if (session.get().state !== 'in') return first;
  if (wanted.kind === 'approval') return (await sendApproved(member, wanted, send)) ?? first;
  return (await prove(member, wanted)) === undefined ? first : send(client);
}

/** @returns undefined when the person did not approve */
async function sendApproved<Data>(
  person: Person,
  wanted: Wanted,
  send: (by: Client) => Promise<Sent<Data>>,
): Promise<Sent<Data> | undefined> {
  const known = knownApproval(person, wanted);
  if (known !== undefined) {
    const sent = await send(approvedClient(await renewed(person), known));
    if (tookPlace(sent) || !/^WRITE_AUTH_/.test(envelopeOf(sent.error).code)) return sent;
  }
  const approval = (await prove(person, wanted))?.approval;
  return approval === undefined ? undefined : send(approvedClient(await renewed(person), approval));
}

/** A client over plain HTTP. The approval belongs to a single mutation, and the socket is shared by all. */
const approvedClient = ({ csrf }: Person, approval: string): Client =>
  new Client({
    url: `${location.origin}/graphql`,
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetchOptions: { headers: { 'x-svc-csrf': csrf, 'x-svc-write-auth': `Bearer ${approval}` } },
  });
