import { sql } from '../../../db/drizzle.ts';
import { chatBindings } from '../../../db/schema/notices.ts';
import { setOf, statement } from '../../../db/sql.ts';

/** Whoever did not press the link in time is asked anew. */
export const revokeUnusedStatement = statement(
  'notices.revoke-unused',
  {},
  () =>
    sql`update ${chatBindings} ${setOf(chatBindings, {
      status: sql`'revoked'`,
      revokedAt: sql`now()`,
      codeHash: sql`null`,
    })} where ${chatBindings.status} = 'pending' and ${chatBindings.codeExpiresAt} <= now()`,
);
