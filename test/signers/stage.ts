import type { Chain } from '../helpers/chain.ts';
import { tokenAbi } from '../helpers/chain.ts';
import type { Answer, Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

export type Json = Record<string, unknown>;

/** The ABI of the dollar token, as clients send it. */
export const dollarAbi = tokenAbi as readonly unknown[];

export interface Owned {
  readonly orgId: string;
  readonly projectId: string;
  readonly serviceKey: string;
  readonly service: Service;
  readonly wallet: Awaited<ReturnType<Service['project']>>['wallet'];
  /** Calls a path with the project's service key. */
  readonly call: <Body = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<Body>>;
}

/** A project whose organization has money, in micro-dollars. */
export async function projectWith(service: Service, credit = 5_000_000): Promise<Owned> {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  if (credit > 0)
    await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, {
      body: { amount_usd_micros: credit },
    });
  return {
    orgId,
    projectId,
    serviceKey,
    service,
    wallet,
    call: (method, path, body, headers = {}) =>
      service.call(service.actors.bearer(serviceKey), method, path, {
        ...(body === undefined ? {} : { body }),
        headers,
      }),
  };
}

/** A signer of a project, with an ether unless told otherwise. */
export async function signerOf(
  owned: Owned,
  chain: Chain,
  { ether = 10n ** 18n, ...more }: { readonly ether?: bigint; readonly recovery_address?: string } = {},
) {
  const name = chain.chainId === 8453 ? 'base-mainnet' : 'base-sepolia';
  const made = await owned.call<Json>('POST', '/contracts/v1/signers', { chain: name, ...more });
  if (made.status !== 201) throw new Error(made.text);
  const signer = { id: made.body.signer_id as string, address: made.body.address as `0x${string}`, chain: name };
  // The job of a full ten minutes takes nothing.
  await owned.service.control.sql(
    `update signers set last_rent_debited_on = (now() at time zone 'UTC')::date where id = $1`,
    [signer.id],
  );
  if (ether > 0n) await chain.client.setBalance({ address: signer.address, value: ether });
  return signer;
}

export type TestSigner = Awaited<ReturnType<typeof signerOf>>;

/** The body of a call that mints dollars for somebody. */
export const minting = (signer: TestSigner, chain: Chain, to: string, amount: string | number = '1000') => ({
  signer_id: signer.id,
  chain: signer.chain,
  contract_address: chain.usdc,
  abi_fragment: dollarAbi,
  function_name: 'mint',
  args: [to, amount],
});

/** Waits until a call is over. @returns its record */
export const ended = (owned: Owned, callId: string): Promise<Json> =>
  until(async () => {
    const { body } = await owned.call('GET', `/contracts/v1/calls/${callId}`);
    if (body.status === 'pending') throw new Error('It is pending.');
    return body;
  });

export const balanceOfOrg = async (service: Service, { orgId, wallet }: Owned): Promise<number> =>
  (await service.call<{ available_usd_micros: number }>(wallet, 'GET', `/orgs/v1/${orgId}/billing`)).body
    .available_usd_micros;

/** Has a regular job run now, and waits until it has. */
export async function runJob({ control }: Service, task: string): Promise<void> {
  await control.sql(`select graphile_worker.add_job($1, job_key => $1)`, [task]);
  await until(async () => {
    const waiting = await control.sql('select from graphile_worker._private_jobs where key = $1', [task]);
    if (waiting.length > 0) throw new Error('It runs.');
  });
}
