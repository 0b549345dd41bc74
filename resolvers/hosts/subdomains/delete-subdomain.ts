import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { onNamedOrOwnProject, ownerOf } from '../../../kernel/access/access.ts';
import { itsProject } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { giveUpName } from '../shared/give-up-name.ts';
import { type Subdomain, shownSubdomain } from '../shared/subdomain.ts';

/** `DELETE /subdomains/v1/:name`. Contract 03, section 5.2. */
export const deleteSubdomain = mutation({
  name: 'subdomains.delete',
  tool: 'delete_subdomain',
  command: 'subdomains delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Give a name below the platform’s domain up; for 14 days only the same organization may claim it again.',
  access: onNamedOrOwnProject(hostActions['project:domains:write']),
  lifecycle: 'owned',
  // Any text is a name that the project does not have.
  input: z.object({
    project: itsProject,
    name: z.string().min(1).max(253).describe('The name before the platform’s domain.'),
  }),
  async handler(work, { name }): Promise<Subdomain> {
    await lockProjectFor(work, hostActions['project:domains:write']);
    const row = await giveUpName(work, ownerOf(work), name);
    if (row === undefined) throw new ServiceError('SUBDOMAIN_NOT_FOUND', { details: { name } });
    return shownSubdomain(work.services, row, work.project.id);
  },
  audit: ({ name }, _input, { project }) => ({
    action: 'subdomain.deleted',
    object: { kind: 'subdomain', id: name },
    details: { project_id: project.id },
  }),
  wire: z.object({
    name: z.string(),
    deployment_id: z.string().nullable(),
    project_id: z.string(),
    deleted_at: z.iso.datetime(),
  }),
  toWire: ({ name, deploymentId, projectId: project, updatedAt }) => ({
    name,
    deployment_id: deploymentId,
    project_id: project,
    deleted_at: updatedAt.toISOString(),
  }),
});
