import type { Service } from '../helpers/service.ts';
import { type Terminal, terminal } from './command.ts';

/** Somebody at a terminal with an organization and a project of their own, which commands that name none mean. */
export interface Owner extends Terminal {
  readonly org: string;
  readonly project: string;
  /** Wallet of this machine. */
  readonly address: string;
}

/** @param credit what the organization has, in micro-dollars. @default nothing */
export async function terminalOfOwner(service: Service, credit = 0): Promise<Owner> {
  const owner = await terminal(service.url);
  const { address } = (await owner.svc('init')).json.wallet;
  const org = (await owner.svc('org', 'create')).json.org_id;
  const project = (await owner.svc('projects', 'provision')).json.project_id;
  if (credit > 0)
    await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${org}/credits`, {
      body: { amount_usd_micros: credit },
    });
  return { ...owner, org, project, address };
}
