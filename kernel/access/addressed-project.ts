import type { ProjectDatabase } from '../../db/project-databases.ts';
import type { LifecycleState, Org, Tier } from '../../db/schema/orgs.ts';

/** What a request inside a project needs to know of it. */
export interface ProjectTarget {
  readonly projectId: string;
  readonly orgId: string;
  /** Its keys are made from it. */
  readonly createdAt: Date;
  /** Names the project's hosts. */
  readonly publicId: string;
  /** Names of hosts that the project has claimed, beside the one that comes from its public id. */
  readonly hostNames: readonly string[];
  readonly database: ProjectDatabase;
  readonly tier: Tier;
  readonly limitOverrides: Org['limitOverrides'];
  readonly lifecycleState: LifecycleState;
  readonly lifecycleEnteredAt: Date;
  readonly leaseExpiresAt: Date;
}
