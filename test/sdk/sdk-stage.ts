import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  type Client,
  type ConnectionOptions,
  type Credential,
  createClient,
  wallet,
} from '../../clients/sdk/src/index.ts';
import type { Service } from '../helpers/service.ts';

/** The credential of a wallet made on the spot. */
export function newWallet() {
  const account = privateKeyToAccount(generatePrivateKey());
  return {
    address: account.address.toLowerCase(),
    credential: wallet({ address: account.address, signMessage: (message) => account.signMessage({ message }) }),
  };
}

export interface Stage {
  readonly client: Client;
  readonly credential: Credential;
  readonly address: string;
  readonly org: string;
  readonly project: string;
  readonly anonKey: string;
  readonly serviceKey: string;
}

/** A client with an organization and a project of its own, all made by the client itself. */
export async function ownProject(service: Service, options: Partial<ConnectionOptions> = {}): Promise<Stage> {
  const { address, credential } = newWallet();
  const client = createClient({ baseUrl: service.url, credential, ...options });
  const { orgId: org } = await client.orgs.create({ displayName: 'SDK' });
  const { projectId: project, anonKey, serviceKey } = await client.projects.create({ orgId: org, name: 'sdk' });
  return { client, credential, address, org, project, anonKey, serviceKey };
}
