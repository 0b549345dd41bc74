import type { Command } from './command.ts';
import { badUsage } from './failure.ts';

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Makes what a project needs so that functions can be gated by the roles of its users, without asking anybody. */
export const scaffoldRoles: Command = {
  words: 'auth scaffold-roles',
  summary: 'Write the table of roles of a project’s users, and the gates that read it. Works offline.',
  about: [
    'Nothing is sent anywhere. `migration` makes the table, closed to users themselves; `manifest` leaves it unexposed; `gates` has a gate for each role, for the release specification of a function.',
  ],
  flags: [
    { name: 'table', type: 'string', about: 'Name of the table: user_roles unless told.' },
    { name: 'user-col', type: 'string', placeholder: 'column', about: 'Column of the user: user_id unless told.' },
    { name: 'role-col', type: 'string', placeholder: 'column', about: 'Column of the role: role unless told.' },
    { name: 'roles', type: 'list', placeholder: 'a,b', about: 'The roles: admin,member unless told.' },
    {
      name: 'cache-ttl',
      type: 'integer',
      min: 0,
      max: 600,
      placeholder: 'seconds',
      about: 'How long a role is remembered: 60 seconds unless told, at most 600, 0 for not at all.',
    },
  ],
  examples: [
    ['As it is usual', 'auth scaffold-roles'],
    ['Roles of your own', 'auth scaffold-roles --roles owner,editor,reader --table team_roles'],
  ],
  async run({ flags }) {
    const named = (flag: string, usual: string) => {
      const name = flags.text(flag) ?? usual;
      if (!identifier.test(name))
        throw badUsage(`--${flag} is letters, digits and _, no digit first.`, { field: flag });
      return name;
    };
    const table = named('table', 'user_roles');
    const userColumn = named('user-col', 'user_id');
    const roleColumn = named('role-col', 'role');
    const roles = [...new Set(flags.list('roles') ?? ['admin', 'member'])];
    const listed = roles.map((role) => `'${role.replaceAll("'", "''")}'`).join(', ');
    return {
      migration: {
        name: `create_${table}`,
        sql: [
          `create table if not exists "${table}" (`,
          `  "${userColumn}" uuid primary key,`,
          `  "${roleColumn}" text not null check ("${roleColumn}" in (${listed})),`,
          '  created_at timestamptz not null default now()',
          ');',
          `alter table "${table}" enable row level security;`,
        ].join('\n'),
      },
      manifest: { version: 1, tables: [{ name: table, expose: false }] },
      gates: Object.fromEntries(
        roles.map((role) => [
          role,
          {
            require_role: {
              table,
              id_column: userColumn,
              role_column: roleColumn,
              allowed: [role],
              cache_ttl: flags.number('cache-ttl') ?? 60,
            },
          },
        ]),
      ),
      grant: `insert into "${table}" ("${userColumn}", "${roleColumn}") values ($1, $2) on conflict ("${userColumn}") do update set "${roleColumn}" = excluded."${roleColumn}"`,
    };
  },
};
