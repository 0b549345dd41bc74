import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { faucetDrips, faucetTurns } from '../../db/schema/faucet.ts';
import { domain } from '../../kernel/run/domain.ts';
import { adminFaucet } from './admin-faucet.ts';
import { faucetErrors } from './error-codes.ts';
import { requestFaucet } from './request-faucet.ts';

export const faucet = domain('faucet', {
  errors: faucetErrors,
  operations: [requestFaucet, adminFaucet],
  expires: [
    { table: faucetTurns, when: isPast(faucetTurns.takenAt, '2 days') },
    { table: faucetDrips, when: sql`${isPast(faucetDrips.createdAt, '30 days')} and ${faucetDrips.dueAt} is null` },
  ],
});
