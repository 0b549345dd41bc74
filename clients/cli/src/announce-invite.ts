import type { Cli } from './cli.ts';
import { Failure } from './failure.ts';
import { perform } from './operation-command.ts';
import { rows } from './operations/messages.ts';
import { keepPresence, type Seat, speaking } from './presence.ts';

/** Tells a room that a key to it was made, once, and never the key. @returns whether the room was told */
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
    // The key has been made, and is shown once: it must not be lost over a message.
    if (error instanceof Failure) return false;
    throw error;
  }
}
