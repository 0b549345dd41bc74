import { type InviteKey, readInviteKey as read } from '../../sdk/src/invite-key.ts';
import { local } from './failure.ts';

export { newInviteKey } from '../../sdk/src/invite-key.ts';

/** @throws ROOM_INVITE_KEY_WRONG_KIND for a key of a vault, ROOM_INVITE_KEY_INVALID for what is no key */
export async function readInviteKey(key: string): Promise<InviteKey> {
  if (/^kg[ih]1_/.test(key))
    throw local('ROOM_INVITE_KEY_WRONG_KIND', 'That is the key of a vault, and opens no room.', {
      hint: 'A room’s key begins with kri1_. Ask whoever invites you for one.',
    });
  try {
    return await read(key);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw local('ROOM_INVITE_KEY_INVALID', 'That is no whole key of a room: kri1_ and 64 characters.', {
      hint: 'A room of your own organization is named with --room.',
    });
  }
}
