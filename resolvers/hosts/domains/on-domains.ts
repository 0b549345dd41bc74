import { onProject } from '../../../kernel/access/access.ts';
import type { Action } from '../../../kernel/access/permissions.ts';

/** The rule of an operation on domains: each names its project. */
export const onDomainsOf = (action: Action) => onProject(action, ({ project }: { project: string }) => project);
