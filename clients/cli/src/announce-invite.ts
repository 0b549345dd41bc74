import type { Cli } from './cli.ts';
import { Failure } from './failure.ts';
import { perform } from './operation-command.ts';
import { rows } from './operations/messages.ts';
import { keepPresence, type Seat, speaking } from './presence.ts';

/**
 * Announces in a room, once, that an invite key was created; never the key itself.
 *
 * @returns whether the room received it
 */
export async function announceInvite(cli: Cli, seat: Seat, inviteId: string): Promise<boolean> {
  try {
    const sent = await speaking(cli, seat, (identity) =>
      perform(cli, rows['rooms.sendMessage'], {
        ...seat.room,
        ...identity,
        body: `A key to this room was made (${inviteId}). Whoever redeems it arrives as a viewer.`,
        idempotency_key: `room-invite:${inviteId}:minted`,
      }),
    );
    await keepPresence(seat, sent.sender_presence as Parameters<typeof keepPresence>[1]);
    return true;
  } catch (error) {
    // The key exists and is shown only once: a failed message must not lose it.
    if (error instanceof Failure) return false;
    throw error;
  }
}
