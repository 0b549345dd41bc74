import { z } from 'zod';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { itsProject } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { claimName } from '../shared/claim-name.ts';
import { type Subdomain, SubdomainWire, shownSubdomain, subdomainName, subdomainToWire } from '../shared/subdomain.ts';

interface ClaimedSubdomain {
  readonly subdomain: Subdomain;
  /** Whether the project did not have it yet. */
  readonly isNew: boolean;
}

/** `POST /subdomains/v1`. Contract 03, section 5.2. */
export const claimSubdomain = mutation({
  name: 'subdomains.claim',
  tool: 'claim_subdomain',
  command: 'subdomains claim',
  effects: ['idempotent'],
  summary: 'Claim a name below the platform’s domain for a project, which is then served under it.',
  access: onNamedOrOwnProject(hostActions['project:domains:write']),
  lifecycle: 'owned',
  input: z.object({
    project: itsProject,
    name: subdomainName,
    deployment_id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a deployment')
      .optional()
      .describe('Deployment that the name is pointed to, `dpl_…`; each later deploy moves it along by itself.'),
  }),
  async handler(work, { name, deployment_id }): Promise<ClaimedSubdomain> {
    await lockProjectFor(work, hostActions['project:domains:write']);
    const { row, isNew } = await claimName(work, name, deployment_id);
    return { subdomain: shownSubdomain(work.services, row, work.project.id), isNew };
  },
  audit: ({ subdomain: { name }, isNew }, { deployment_id }, { project }) =>
    !isNew && deployment_id === undefined
      ? undefined
      : {
          action: isNew ? 'subdomain.claimed' : 'subdomain.pointed',
          object: { kind: 'subdomain', id: name },
          details: { project_id: project.id, ...(deployment_id === undefined ? {} : { deployment_id }) },
        },
  wire: SubdomainWire,
  toWire: ({ subdomain }) => subdomainToWire(subdomain),
});
