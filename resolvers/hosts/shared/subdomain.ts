import { z } from 'zod';
import { subdomains } from '../../../db/schema/hosts.ts';
import { pick, type RowOf } from '../../../db/sql.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { originOfHost } from '../../projects/shared/project-hosts.ts';
import { hostOfDeployment } from './host-urls.ts';

/** A name below the platform's domain, as clients claim it. Contract 03, section 5.2. */
export const subdomainName = z
  .string()
  .min(3, 'at least 3 characters')
  .max(63, 'at most 63 characters')
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be lower-case letters, digits and hyphens, with no hyphen at an end',
  )
  .describe('The name before the platform’s domain, 3 to 63 characters.')
  .meta({ examples: ['our-shop'] });

/** The columns of a {@link Subdomain}. */
export const subdomainColumns = pick(
  subdomains,
  'name',
  'projectId',
  'deploymentId',
  'restsUntil',
  'createdAt',
  'updatedAt',
);

export type SubdomainRow = RowOf<typeof subdomainColumns>;

/** A name that a project has, with the addresses that it stands for. */
export interface Subdomain extends SubdomainRow {
  readonly projectId: string;
  readonly url: string;
  /** Of the deployment that it was last pointed to; null before the first. */
  readonly deploymentUrl: string | null;
}

/** The host of a name below the platform's domain. */
export const hostOfSubdomain = ({ settings }: Pick<Services, 'settings'>, name: string): string =>
  `${name}.${settings.platformDomain}`;

/** @param row of a name that does not rest */
export function shownSubdomain(services: Pick<Services, 'settings'>, row: SubdomainRow, projectId: string): Subdomain {
  const { name, deploymentId } = row;
  return {
    ...row,
    projectId,
    url: originOfHost(services, hostOfSubdomain(services, name)),
    deploymentUrl: deploymentId === null ? null : originOfHost(services, hostOfDeployment(services, deploymentId)),
  };
}

/** Contract 03, section 5.2. */
export const SubdomainWire = z
  .object({
    name: z.string(),
    deployment_id: z.string().nullable(),
    url: z.string(),
    deployment_url: z.string().nullable(),
    project_id: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Subdomain' });

export const subdomainToWire = (subdomain: Subdomain) => ({
  name: subdomain.name,
  deployment_id: subdomain.deploymentId,
  url: subdomain.url,
  deployment_url: subdomain.deploymentUrl,
  project_id: subdomain.projectId,
  created_at: subdomain.createdAt.toISOString(),
  updated_at: subdomain.updatedAt.toISOString(),
});
