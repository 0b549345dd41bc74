import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { pick, statement } from '../../db/sql.ts';
import type { Access, NoScope } from '../../kernel/access/access.ts';
import { emailAddress } from '../../kernel/input/email-address.ts';
import { walletAddress } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { findOwnOrg, ownScope } from '../orgs/shared/own-org.ts';
import { billingOf } from './get-billing.ts';
import { BillingWire, billingToWire } from './wire.ts';

interface LookupInput {
  readonly wallet?: string | undefined;
  readonly email?: string | undefined;
}

/** A wallet looks up itself; anything else is for the platform admin. */
const access: Access<LookupInput, NoScope> = {
  action: null,
  authorise: async (_ctx, caller, { wallet }) => {
    if (caller.kind === 'admin') return {};
    if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
    if (wallet === undefined) throw new ServiceError('ADMIN_REQUIRED');
    if (caller.kind === 'project_key' && caller.role === 'anon') {
      throw new ServiceError('AUTH_REQUIRED', { message: 'An anon key cannot act here.' });
    }
    if (caller.kind === 'wallet' && caller.address === wallet) return {};
    throw new ServiceError('FORBIDDEN', { message: 'The request has to be signed by that very wallet.' });
  },
};

/** `GET /orgs/v1/lookup`. Contract 04, section 1.4. */
export const lookupBilling = query({
  name: 'billing.lookup',
  tool: 'check_balance',
  command: 'billing balance',
  summary: 'The prepaid balance behind a wallet or a mail address.',
  path: 'GET /orgs/v1/lookup',
  access,
  input: z
    .object({
      wallet: walletAddress.optional().describe('Address of the wallet, which has to sign the request.'),
      email: emailAddress.optional().describe('Mail address.'),
    })
    .refine(({ wallet, email }) => (wallet === undefined) !== (email === undefined), {
      path: ['wallet'],
      message: 'exactly one of wallet and email',
    }),
  async handler(ctx, { wallet, email }) {
    const { services } = ctx;
    const named =
      wallet === undefined
        ? ({ kind: 'email', publicSubject: email! } as const)
        : ({ kind: 'wallet', publicSubject: wallet } as const);
    const [holder] = await services.db.rows(holderStatement.with(named));
    const own = holder === undefined ? undefined : await findOwnOrg(services.db, holder.principalId);
    if (own === undefined) throw new ServiceError('RESOURCE_NOT_FOUND');
    if ((await ctx.caller()).kind !== 'admin') ownScope(own, orgActions['org:billing:read']);
    return billingOf(services, own.id);
  },
  wire: BillingWire,
  toWire: billingToWire,
});

const holderStatement = statement(
  'billing.holder',
  { params: pick(authenticators, 'kind', 'publicSubject'), row: pick(authenticators, 'principalId') },
  ({ kind, publicSubject }, row) => sql`select ${row} from ${authenticators}
    where ${authenticators.kind} = ${kind} and ${authenticators.publicSubject} = ${publicSubject}
      and ${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null`,
);
