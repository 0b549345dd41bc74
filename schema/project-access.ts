import type { DecidingPolicy, Reached, RoleAccess } from '../engines/expose/access.ts';
import {
  getAccess,
  type ListedFunction,
  type ListedRelation,
  type ProjectAccess,
} from '../resolvers/project-data/get-access.ts';
import { builder } from './builder.ts';
import { fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const RequestRoleEnum = builder.enumType('RequestRole', {
  description: 'A role that requests to a project run as.',
  values: {
    ANON: { value: 'anon', description: 'The anon key alone.' },
    AUTHENTICATED: { value: 'authenticated', description: 'The anon key and a user.' },
    PROJECT_ADMIN: { value: 'project_admin', description: 'The anon key and an admin of the project.' },
    SERVICE_ROLE: { value: 'service_role', description: 'The service key.' },
  } as const,
});

const RelationKindEnum = builder.enumType('RelationKind', {
  description: 'A kind of relation.',
  values: {
    TABLE: { value: 'table', description: 'A table.' },
    VIEW: { value: 'view', description: 'A view.' },
    MATERIALIZED_VIEW: { value: 'materialized_view', description: 'A view that keeps its rows.' },
    FOREIGN_TABLE: { value: 'foreign_table', description: 'A table of another server.' },
  } as const,
});

const ReachEnum = builder.enumType('RowReach', {
  description: 'Which rows an action reaches.',
  values: {
    ALL: { value: 'all', description: 'Every row.' },
    OWN: { value: 'own', description: 'Rows of the caller.' },
    POLICY: { value: 'policy', description: 'Rows that policies let through.' },
    NONE: { value: 'none', description: 'No row.' },
  } as const,
});

const CauseEnum = builder.enumType('AccessCause', {
  description: 'Why an action reaches these rows.',
  values: {
    NO_PRIVILEGE: { value: 'no_privilege', description: 'The role has no privilege.' },
    READ_ONLY: { value: 'read_only', description: 'The relation can only be read.' },
    NO_POLICY: { value: 'no_policy', description: 'Row security is on, and no policy lets the role.' },
    NO_USER: { value: 'no_user', description: 'Policies ask for the owner, and the caller is no user.' },
    POLICY: { value: 'policy', description: 'Policies decide.' },
    NO_ROW_SECURITY: { value: 'no_row_security', description: 'Row security is off.' },
    BYPASSES_ROW_SECURITY: { value: 'bypasses_row_security', description: 'Policies do not concern the role.' },
  } as const,
});

const PolicyRef = builder.objectRef<DecidingPolicy>('AccessPolicy').implement({
  description: 'A row policy that decides.',
  fields: (t) => ({
    table: t.exposeString('table', { description: 'Its table.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    restrictive: t.exposeBoolean('restrictive', { description: 'Whether it only narrows what others allow.' }),
    using: t.exposeString('using', { nullable: true, description: 'Rows that are reached.' }),
    check: t.exposeString('check', { nullable: true, description: 'Rows that may be written.' }),
  }),
});

const ReachedRef = builder.objectRef<Reached>('AccessReached').implement({
  description: 'Rows that an action of a role reaches.',
  fields: (t) => ({
    rows: t.expose('rows', { type: ReachEnum, description: 'Which rows.' }),
    cause: t.expose('cause', { type: CauseEnum, description: 'Why.' }),
    columns: t.stringList({
      nullable: true,
      description: 'Columns that the privilege is for; null for all.',
      resolve: ({ columns }) => (columns === null ? null : [...columns]),
    }),
    ownerColumn: t.exposeString('ownerColumn', {
      nullable: true,
      description: 'The column that holds the owner, where rows of the caller are reached.',
    }),
    policies: t.field({
      type: [PolicyRef],
      description: 'The policies that decide.',
      resolve: ({ policies }) => [...policies],
    }),
  }),
});

const RoleAccessRef = builder.objectRef<RoleAccess>('AccessRole').implement({
  description: 'What requests of a role may do with a relation.',
  fields: (t) => ({
    role: t.expose('role', { type: RequestRoleEnum, description: 'The role.' }),
    select: t.expose('select', { type: ReachedRef, description: 'Reading rows.' }),
    insert: t.expose('insert', { type: ReachedRef, description: 'Adding rows.' }),
    update: t.expose('update', { type: ReachedRef, description: 'Changing rows.' }),
    delete: t.expose('delete', { type: ReachedRef, description: 'Deleting rows.' }),
  }),
});

const RelationRef = builder.objectRef<ListedRelation>('AccessRelation').implement({
  description: 'A table or view of a project, and who may do what with it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    kind: t.expose('kind', { type: RelationKindEnum, description: 'Its kind.' }),
    rowSecurity: t.exposeBoolean('rowSecurity', { description: 'Whether row security is on.' }),
    exposed: t.exposeBoolean('exposed', {
      nullable: true,
      description: 'Whether the manifest exposes it; null where it does not name it.',
    }),
    policy: t.exposeString('policy', { nullable: true, description: 'The policy that the manifest gives it.' }),
    roles: t.field({ type: [RoleAccessRef], description: 'Every role.', resolve: ({ roles }) => [...roles] }),
  }),
});

const FunctionRef = builder.objectRef<ListedFunction>('AccessFunction').implement({
  description: 'A function of a project, and who may call it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    arguments: t.exposeString('arguments', { description: 'Its arguments as SQL writes them.' }),
    securityDefiner: t.exposeBoolean('securityDefiner', {
      description: 'Whether it runs with the rights of its owner.',
    }),
    exposed: t.exposeBoolean('exposed', { description: 'Whether the manifest names a function of this name.' }),
    callers: t.field({
      type: [RequestRoleEnum],
      description: 'Roles that may call it.',
      resolve: ({ callers }) => [...callers],
    }),
  }),
});

const ProjectAccessRef = builder.objectRef<ProjectAccess>('ProjectAccess').implement({
  description: 'Who may do what in a project.',
  fields: (t) => ({
    relations: t.field({
      type: [RelationRef],
      description: 'Its tables and views.',
      resolve: ({ relations }) => [...relations],
    }),
    functions: t.field({
      type: [FunctionRef],
      description: 'Its functions.',
      resolve: ({ functions }) => [...functions],
    }),
  }),
});

builder.objectField(ProjectRef, 'access', (t) =>
  t.field({
    type: ProjectAccessRef,
    nullable: true,
    ...fieldOf(getAccess),
    resolve: ({ id }, _args, ctx) => run(getAccess, ctx, { project: id }),
  }),
);
