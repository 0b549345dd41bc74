import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { projectMutation } from '../../kernel/run/operation.ts';
import { requireManaged, userId } from './project-users.ts';
import { endSessions } from './sessions.ts';
import { authActions } from './shared/actions.ts';

/** `POST /projects/v1/admin/:project_id/users/:user_id/end-sessions`. */
export const endUserSessions = projectMutation({
  name: 'users.endSessions',
  tool: 'end_auth_sessions',
  command: 'auth end-sessions',
  effects: ['destructive', 'idempotent'],
  summary: 'Sign a user of a project out: everywhere, or of one session.',
  path: 'POST /projects/v1/admin/:project_id/users/:user_id/end-sessions',
  access: onProject(authActions['project:users:write'], ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    user_id: userId,
    session_id: z.uuid('must be a session id (a UUID)').optional().describe('Only this session; all when absent.'),
  }),
  async check({ services, project }, { user_id }) {
    await requireManaged(services, await findProjectTarget(services, project.id), user_id);
  },
  attempt: ({ user_id, session_id }, { project }) => ({
    action: 'project.user_sessions_ended',
    object: { kind: 'project', id: project.id },
    details: { user_id, ...(session_id === undefined ? {} : { session_id }) },
  }),
  async handler({ services, project }, { user_id, session_id }): Promise<{ readonly ended: number }> {
    const target = await findProjectTarget(services, project.id);
    const { id } = await requireManaged(services, target, user_id);
    const only = session_id === undefined ? {} : { only: session_id };
    return { ended: await endSessions(services, target, { userId: id, ...only }) };
  },
  wire: z.object({ ended: z.number().int() }),
  toWire: (result) => result,
});
