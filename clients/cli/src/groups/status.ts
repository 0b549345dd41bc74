import { balancesOf } from '../balances.ts';
import type { Command, Group } from '../command.ts';
import { Failure } from '../failure.ts';
import { findWallet, walletName } from '../files/wallets.ts';
import { apiBase } from '../net/api-base.ts';
import { call } from '../net/gateway.ts';
import { findProject } from '../resolve.ts';

interface Tier {
  readonly tier: string | null;
  readonly active: boolean;
  readonly lease_expires_at?: string | null;
  readonly organization_lifecycle_state?: string | null;
  readonly lease_perpetual?: boolean | null;
}

const status: Command = {
  words: 'status',
  summary: 'Wallet, balance, tier, projects, and where all that is.',
  about: ['Asks for all of it at once. What cannot be read is null, and no failure.'],
  examples: [['At a glance', 'status']],
  operations: ['tiers.getStatus', 'billing.lookup', 'projects.list'],
  async run({ cli }) {
    const name = await walletName(cli);
    const wallet = await findWallet(cli, name);
    const base = await apiBase(cli);
    const [tier, balance, projects] = await Promise.all([
      read<Tier>('/tiers/v1/status'),
      wallet === undefined ? null : read<Record<string, unknown>>('/orgs/v1/lookup', { wallet: wallet.address }),
      read<{ projects: unknown[] }>('/projects/v1'),
    ]);
    return {
      wallet: wallet === undefined ? null : { local_label: name, server_label: null, address: wallet.address },
      rail: wallet?.rail ?? null,
      balances: balancesOf(balance),
      tier:
        tier?.tier == null
          ? null
          : { name: tier.tier, status: tier.active ? 'active' : 'inactive', expires: tier.lease_expires_at ?? null },
      organization_lifecycle_state: tier?.organization_lifecycle_state ?? null,
      lease_perpetual: tier?.lease_perpetual ?? null,
      projects: projects?.projects ?? null,
      active_project: (await findProject(cli)) ?? null,
      target: { api_base: base.url, api_base_source: base.source, kind: 'core' },
    };

    async function read<Body>(path: string, query?: Record<string, string>): Promise<Body | null> {
      try {
        return (await call<Body>(cli, { method: 'GET', path, query })).body;
      } catch (error) {
        if (error instanceof Failure) return null;
        throw error;
      }
    }
  },
};

export const group: Group = { name: 'status', about: [status.summary], commands: [status] };
