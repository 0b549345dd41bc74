import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { jsonObject } from '../../db/json.ts';
import { isUniqueViolation } from '../../db/pool.ts';
import { challenges, named, sessions, users } from '../../db/project-schema/auth.ts';
import { computed, from, setOf, typed } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { oneLine, projectId } from '../../kernel/input/fields.ts';
import { projectMutation } from '../../kernel/run/operation.ts';
import { email } from './auth-input.ts';
import { userData } from './client-user.ts';
import { lockUserStatement } from './lock-user.ts';
import { ListedUserWire, listedToWire, type ManagedUser, noSuchUser, requireManaged, userId } from './project-users.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authActions } from './shared/actions.ts';
import { authBatch, authRow, authStatement } from './shared/auth-rows.ts';

/** `PATCH /projects/v1/admin/:project_id/users/:user_id`. */
export const updateProjectUser = projectMutation({
  name: 'users.update',
  tool: 'update_auth_user',
  command: 'auth update-user',
  effects: ['destructive', 'idempotent'],
  summary: 'Change a user of a project; another address ends its sessions.',
  path: 'PATCH /projects/v1/admin/:project_id/users/:user_id',
  access: onProject(authActions['project:users:write'], ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    user_id: userId,
    email: email.optional().describe('Another address; it is unproven unless `email_confirm` says otherwise.'),
    email_confirm: z
      .boolean()
      .optional()
      .describe('Whether the address is known to be theirs; `false` takes the proof back.'),
    display_name: oneLine(200).nullable().optional().describe('Name to show; null for none.'),
    data: userData.optional().describe('Members to put into `user_metadata`; null takes one away.'),
  }),
  async check({ services, project }, { user_id, email, data }) {
    const target = await findProjectTarget(services, project.id);
    const { id } = await requireManaged(services, target, user_id);
    const question = { id, email: email ?? null, data: JSON.stringify(data ?? {}) };
    const found = await authRow(services, target, checkStatement.with(question));
    if (found === undefined) throw noSuchUser();
    if (found.taken) throw addressTaken();
    if (!found.fits) throw tooMuchData();
  },
  attempt: ({ user_id, email, email_confirm, display_name, data }, { project }) => ({
    action: 'project.user_updated',
    object: { kind: 'project', id: project.id },
    // What an app keeps with its users is no affair of the trail.
    details: {
      user_id,
      ...(email === undefined ? {} : { email }),
      ...(email_confirm === undefined ? {} : { email_confirm }),
      changed: Object.entries({ email, email_confirm, display_name, data }).flatMap(([name, value]) =>
        value === undefined ? [] : [name],
      ),
    },
  }),
  async handler({ services, project }, { user_id, email, email_confirm, display_name, data }): Promise<ManagedUser> {
    const target = await findProjectTarget(services, project.id);
    const { id } = await requireManaged(services, target, user_id);
    const change = changeStatement.with({
      id,
      email: email ?? null,
      confirm: email_confirm ?? null,
      renamed: display_name !== undefined,
      displayName: display_name ?? null,
      data: JSON.stringify(data ?? {}),
    });
    const [, [changed]] = await authBatch(services, target, [lockUserStatement.with({ user: id }), change]).catch(
      (error: unknown) => {
        throw isUniqueViolation(error) ? addressTaken() : error;
      },
    );
    if (changed === undefined) throw noSuchUser();
    if (!changed.fits) throw tooMuchData();
    forgetAccountStatuses(services, target);
    return requireManaged(services, target, id);
  },
  wire: ListedUserWire,
  toWire: listedToWire,
});

const addressTaken = () => new ServiceError('EMAIL_ALREADY_REGISTERED', { nextActions: [] });
const tooMuchData = () => invalidField('data', 'too large together with what is kept already');

const s = named(sessions, 's');
const other = named(users, 'other');

type Part = ReturnType<typeof sql>;

/** What becomes of the metadata of a user. */
const merged = (data: Part) => sql`((${users.userMetadata} || ${data}::jsonb)
  - array(select key from jsonb_each(${data}::jsonb) where value = 'null'))`;
const fitsIn = (metadata: Part) => sql`octet_length(${metadata}::text) <= 32768`;

const checkStatement = authStatement(
  'user_change_check',
  {
    params: { id: users.id, email: typed<string | null>('text'), data: typed<string>('jsonb') },
    answer: jsonObject({
      taken: computed<boolean>('boolean', sql`found.taken`),
      fits: computed<boolean>('boolean', sql`found.fits`),
    }),
  },
  ({ id, email, data }, answer) => sql`select ${answer} from (
      select ${fitsIn(merged(data))} as fits,
        exists (select from ${from(other)} where ${other.email} = ${email} and ${other.id} <> ${id}) as taken
      from ${users} where ${users.id} = ${id}
    ) found`,
);

const verdictJson = jsonObject({ fits: computed<boolean>('boolean', sql`before.fits`) });

const changeStatement = authStatement(
  'user_change',
  {
    params: {
      id: users.id,
      email: typed<string | null>('text'),
      confirm: typed<boolean | null>('boolean'),
      renamed: typed<boolean>('boolean'),
      displayName: users.displayName,
      data: typed<string>('jsonb'),
    },
    answer: verdictJson,
  },
  ({ id, email, confirm, renamed, displayName, data }, answer) => sql`with before as (
      select ${users.id}, ${users.email}, coalesce(${email}::text, ${users.email}) <> ${users.email} as moves,
        merged, ${fitsIn(sql`merged`)} as fits
      from ${users}, lateral (select ${merged(data)}) m (merged)
      where ${users.id} = ${id}
    ), made as (
      update ${users} ${setOf(users, {
        email: sql`coalesce(${email}::text, ${users.email})`,
        emailVerifiedAt: sql`case when ${confirm}::boolean is not null
            then case when ${confirm} then case when before.moves then now() else coalesce(${users.emailVerifiedAt}, now()) end end
          when before.moves then null else ${users.emailVerifiedAt} end`,
        displayName: sql`case when ${renamed}::boolean then ${displayName} else ${users.displayName} end`,
        userMetadata: sql`before.merged`,
      })}
      from before where ${users.id} = before.id and before.fits
      returning before.email as old, before.moves, ${users.id}
    ), ended as (
      -- Tokens and mails name the address of before.
      update ${from(s)} ${setOf(sessions, { revokedAt: sql`now()` })} from made
      where ${s.userId} = made.id and made.moves and ${s.revokedAt} is null
    ), mails as (
      delete from ${challenges} using made where made.moves and ${challenges.email} = made.old
    )
    select ${answer} from before`,
);
