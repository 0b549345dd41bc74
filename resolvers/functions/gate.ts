import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import type { RoleGate } from '../../engines/release/model.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { asOwner, inProject, once, tenantSchema } from '../project-data/shared/in-project.ts';

/** What a function demands of its callers. Contract 03, section 2.19. */
export interface Gated {
  readonly requireAuth: boolean;
  readonly requireRole: RoleGate | null;
}

/** A caller who passed a gate, as the function is told. */
export interface PassedGate {
  readonly 'x-svc-user-id'?: string | undefined;
  readonly 'x-svc-user-role'?: string | undefined;
}

/** Whether a function lets in users alone. */
export const isGated = (fn: Gated | undefined): boolean =>
  fn !== undefined && (fn.requireAuth || fn.requireRole !== null);

interface KnownRole {
  readonly role: string | null;
  readonly until: number;
}

/** Roles of users, by the gate that asked; each node asks for itself, and nothing tells it of a change. */
const known = new WeakMap<Services, Lru<KnownRole>>();

/**
 * Lets a caller through to a function, or not.
 *
 * @param userId of a user of the project whose token or session holds; undefined for anybody else
 * @throws authentication_required, ROLE_FORBIDDEN, UPSTREAM_UNAVAILABLE
 */
export async function passGate(
  services: Services,
  target: ProjectTarget,
  gated: Gated,
  userId: string | undefined,
): Promise<PassedGate> {
  if (!isGated(gated)) return { 'x-svc-user-id': userId };
  if (userId === undefined) throw new ServiceError('authentication_required');
  const gate = gated.requireRole;
  if (gate === null) return { 'x-svc-user-id': userId };
  const role = await roleOf(services, target, gate, userId);
  // Compared byte by byte: a role in other letters is another role.
  if (role === null || !gate.allowed.includes(role))
    throw new ServiceError('ROLE_FORBIDDEN', {
      details: { allowed_roles: gate.allowed },
      extras: { allowed_roles: gate.allowed },
    });
  return { 'x-svc-user-id': userId, 'x-svc-user-role': role };
}

async function roleOf(
  services: Services,
  { projectId, database }: ProjectTarget,
  { table, idColumn, roleColumn, cacheTtl }: RoleGate,
  userId: string,
): Promise<string | null> {
  let roles = known.get(services);
  if (roles === undefined) known.set(services, (roles = new Lru({ entries: 50_000, bytes: 50_000 })));
  const key = [projectId, table, idColumn, roleColumn, userId].join(' ');
  const seen = roles.get(key);
  if (seen !== undefined && seen.until > performance.now()) return seen.role;
  // Names were checked to be plain when the release was planned.
  const ask = once(
    `select "${roleColumn}"::text from ${tenantSchema}."${table}" where "${idColumn}"::text = $1 limit 1`,
    [userId],
  );
  const [, rows] = await inProject(() => services.projectPools.run(database, [asOwner(true), ask]));
  const role = rows?.[0]?.[0] ?? null;
  if (cacheTtl > 0) roles.set(key, { role, until: performance.now() + cacheTtl * 1_000 }, 1);
  return role;
}
