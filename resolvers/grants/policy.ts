import { jsonObject } from '../../kernel/input/json-object.ts';

/** Conditions that its owner attaches to a grant, kept and shown as they are. */
export const grantPolicy = jsonObject({ kib: 8, depth: 8 });
