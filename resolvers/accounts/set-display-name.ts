import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { principals } from '../../db/schema/identity.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { givenName, shows } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { type Identity, identityOf, whoami } from './whoami.ts';

const lengths = { min: 1, max: 64 };

/** In NFC and trimmed. Look-alikes are allowed: a name is no identity, and no two principals are told apart by it. */
const ownName = z
  .string()
  .normalize('NFC')
  .trim()
  .pipe(givenName(lengths.max).refine((name) => shows.test(name), 'must show something'));

/** `PATCH /agent/v1/me`. Contract 01, section 5.15. */
export const setDisplayName = mutation({
  name: 'identity.setDisplayName',
  tool: 'set_display_name',
  command: 'org whoami --set-name',
  effects: ['destructive', 'idempotent'],
  summary: 'Give the principal behind the credential a name for people.',
  path: 'PATCH /agent/v1/me',
  access: signedIn('wallet', 'control_plane', 'delegate'),
  input: z.object({
    // Judged by the handler, since every fault of a name has one code here.
    display_name: z.unknown().describe('Name for people, 1 to 64 characters after trimming.').meta({ type: 'string' }),
  }),
  async handler(work, { display_name }): Promise<Identity> {
    const name = ownName.safeParse(display_name);
    if (!name.success) {
      const reason = name.error.issues[0]!.message;
      throw new ServiceError('INVALID_DISPLAY_NAME', { details: { ...lengths, reason } });
    }
    const { principal, authenticator } = work.principal;
    await work.rows(renameStatement.with({ id: principal.id, displayName: name.data }));
    return identityOf(work.rows, { principal: { ...principal, displayName: name.data }, authenticator });
  },
  audit: ({ principal }) => ({
    action: 'principal.renamed',
    object: { kind: 'principal', id: principal.id },
    details: { display_name: principal.displayName },
  }),
  wire: whoami.wire,
  toWire: whoami.toWire,
});

const renameStatement = statement(
  'identity.rename',
  { params: pick(principals, 'id', 'displayName') },
  ({ id, displayName }) =>
    sql`update ${principals} ${setOf(principals, { displayName })} where ${principals.id} = ${id}`,
);
