import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { local } from './failure.ts';

/** A room's invite key, taken apart. Contract 02, section 2.8. */
export interface InviteKey {
  readonly inviteId: string;
  readonly authSecret: Buffer;
}

const idBytes = 16;
const secretBytes = 32;

const deriveSecret = (master: Uint8Array, id: Uint8Array) =>
  Buffer.from(hkdfSync('sha256', master, id, 'svc/room-invite/auth/v1', secretBytes));

/** Makes a key. Only the hash goes to the gateway; the key itself is shown once. */
export function newInviteKey(): { readonly key: string; readonly inviteId: string; readonly authHash: string } {
  const inviteId = randomUUID();
  const id = Buffer.from(inviteId.replaceAll('-', ''), 'hex');
  const master = randomBytes(secretBytes);
  const authHash = createHash('sha256')
    .update('svc/room-invite/auth-hash/v1')
    .update(deriveSecret(master, id))
    .digest('hex');
  return { key: `kri1_${Buffer.concat([id, master]).toString('base64url')}`, inviteId, authHash };
}

/** @throws ROOM_INVITE_KEY_WRONG_KIND for a key of a vault, ROOM_INVITE_KEY_INVALID for what is no key */
export function readInviteKey(key: string): InviteKey {
  if (/^kg[ih]1_/.test(key))
    throw local('ROOM_INVITE_KEY_WRONG_KIND', 'That is the key of a vault, and opens no room.', {
      hint: 'A room’s key begins with kri1_. Ask whoever invites you for one.',
    });
  const bytes = /^kri1_[A-Za-z0-9_-]{64}$/.test(key) ? Buffer.from(key.slice(5), 'base64url') : Buffer.alloc(0);
  if (bytes.length !== idBytes + secretBytes)
    throw local('ROOM_INVITE_KEY_INVALID', 'That is no whole key of a room: kri1_ and 64 characters.');
  const id = bytes.subarray(0, idBytes);
  const digits = id.toString('hex');
  const inviteId = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { inviteId, authSecret: deriveSecret(bytes.subarray(idBytes), id) };
}
