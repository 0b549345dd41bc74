import { hexOf } from './bytes.ts';

/** The contents of a room's invite key. */
export interface InviteKey {
  /** The key itself: its holder may redeem it. */
  readonly key: string;
  /** `inviteId` of `rooms.mintInvite`, and `invite` of `rooms.claimInvite`. */
  readonly inviteId: string;
  /** `authHash` of `rooms.mintInvite`: all that the gateway keeps. */
  readonly authHash: string;
  /** `authSecret` of `rooms.claimInvite`. */
  readonly authSecret: string;
}

const mark = 'kri1_';
const utf8 = new TextEncoder();
const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Contract 02, section 2.8. */
async function derived(id: Uint8Array<ArrayBuffer>, master: Uint8Array<ArrayBuffer>): Promise<InviteKey> {
  const source = await crypto.subtle.importKey('raw', master, 'HKDF', false, ['deriveBits']);
  const info = utf8.encode('svc/room-invite/auth/v1');
  const secret = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: id, info }, source, 256),
  );
  const hashed = new Uint8Array([...utf8.encode('svc/room-invite/auth-hash/v1'), ...secret]);
  return {
    key: mark + base64url(new Uint8Array([...id, ...master])),
    inviteId: hexOf(id).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    authHash: hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', hashed))),
    authSecret: base64url(secret),
  };
}

/** Makes a key for `rooms.mintInvite`. */
export function newInviteKey(): Promise<InviteKey> {
  const id = crypto.randomUUID().replaceAll('-', '').match(/../g)!;
  return derived(
    Uint8Array.from(id, (pair) => Number.parseInt(pair, 16)),
    crypto.getRandomValues(new Uint8Array(32)),
  );
}

/** Reads a key, to redeem it. @throws TypeError for what is no key of a room */
export async function readInviteKey(key: string): Promise<InviteKey> {
  if (!/^kri1_[A-Za-z0-9_-]{64}$/.test(key)) throw new TypeError('This is no invite key of a room.');
  const letters = atob(key.slice(mark.length).replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return derived(bytes.slice(0, 16), bytes.slice(16));
}
