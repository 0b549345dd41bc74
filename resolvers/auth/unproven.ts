import { sql } from '../../db/drizzle.ts';
import type { sessions } from '../../db/project-schema/auth.ts';
import type { Values } from '../../db/sql.ts';

/** For `set`: a session ends, unless it has, and rests on no passkey any more. */
export const endedWithoutPasskey = (of: typeof sessions): Values<typeof sessions> => ({
  aal: sql`'aal1'`,
  passkeyId: sql`null`,
  passkeyTime: sql`null`,
  revokedAt: sql`coalesce(${of.revokedAt}, now())`,
});
