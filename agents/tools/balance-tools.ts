import { invalidField } from '../../core/errors.ts';
import { execute } from '../../kernel/run/execute.ts';
import { getBilling } from '../../resolvers/billing/get-billing.ts';
import { listHistory } from '../../resolvers/billing/list-history.ts';
import { lookupBilling } from '../../resolvers/billing/lookup-billing.ts';
import type { JsonSchema } from '../../rest-compat/openapi/path-doc.ts';
import type { Route } from '../../rest-compat/route.ts';
import { operationTool } from './operation-tool.ts';
import { type Arguments, refuseUnknown, type Tool, type ToolRun } from './tool.ts';

const accountForm: JsonSchema = {
  type: 'string',
  description: 'Whose balance: an organization’s id, a wallet, or a mail address (for the platform’s admin alone).',
};

/** Both take one name for an account, whatever it is of. Contract 04, section 4.2.14. */
export function balanceTools(routes: readonly Route[]): readonly Tool[] {
  const balance = operationTool(getBilling, 'check_balance', routes);
  const history = operationTool(listHistory, 'billing_history', routes);
  return [
    {
      ...ofAccount(balance),
      operations: [getBilling.name, lookupBilling.name],
      run: async (run, args) => {
        refuseUnknown(ofAccount(balance).input, args);
        const account = accountIn(args);
        return isOrg(account) ? balance.run(run, { org_id: account }) : lookUp(run, account);
      },
    },
    {
      ...ofAccount(history),
      run: async (run, args) => {
        refuseUnknown(ofAccount(history).input, args);
        const account = accountIn(args);
        const { wallet: _wallet, ...page } = args;
        const org_id = isOrg(account) ? account : (await lookUp(run, account)).org_id;
        return history.run(run, { ...page, org_id });
      },
    },
  ];
}

function ofAccount(tool: Tool): Tool {
  const { org_id, ...others } = tool.input.properties;
  return {
    ...tool,
    input: { ...tool.input, properties: { wallet: accountForm, org_id: org_id!, ...others }, required: [] },
  };
}

function accountIn({ wallet, org_id }: Arguments): string {
  const account = wallet ?? org_id;
  if (account === undefined) throw invalidField('wallet', 'is required');
  if (typeof account !== 'string') throw invalidField('wallet', 'must be a text');
  return account;
}

const isOrg = (account: string) => /^[0-9a-f-]{36}$/i.test(account);

async function lookUp({ ctx }: ToolRun, account: string) {
  const by = account.includes('@') ? { email: account } : { wallet: account };
  return lookupBilling.toWire(await execute(lookupBilling, ctx, by, () => 'wallet'), ctx);
}
