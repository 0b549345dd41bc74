import { createHash } from 'node:crypto';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
export const checksumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');

/** The three steps of an upload, as one caller takes them. */
export const uploading = (service: Pick<Service, 'call'>, actor: Actor) => ({
  plan: (content: readonly { sha256: string; size: number }[], more: object = {}) =>
    service.call<Any>(actor, 'POST', '/content/v1/plans', { body: { content, ...more } }),
  commit: (planId: string, more: object = {}) =>
    service.call<Any>(actor, 'POST', `/content/v1/plans/${planId}/commit`, { body: more }),
});

/** Sends a part as clients do: without a credential. */
export async function send(url: string, bytes: Uint8Array, checksum: string | undefined = checksumOf(bytes)) {
  const answer = await fetch(url, {
    method: 'PUT',
    body: bytes as BodyInit,
    headers: checksum === '' ? {} : { 'x-amz-checksum-sha256': checksum },
  });
  const text = await answer.text();
  return { status: answer.status, etag: answer.headers.get('etag'), body: JSON.parse(text) as Any };
}

/** Sends pieces one after the other, without saying how long they are together. */
export async function sendPieces(url: string, pieces: readonly Uint8Array[]) {
  const body = new Blob(pieces as Uint8Array<ArrayBuffer>[]).stream();
  const answer = await fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit);
  return { status: answer.status, body: (await answer.json()) as Any };
}

/** Someone who shows the key of a project alone. */
export const keyHolder = (key: string) => withHeaders({ apikey: key });
