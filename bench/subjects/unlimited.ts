/**
 * Loaded before the gateway: how fast it can be is not to be seen behind the 100 requests a second that a project has, nor
 * behind the 1,000 of an address.
 */
import { addressRate, projectRate } from '../../kernel/limits/limits.ts';

for (const rate of [projectRate, addressRate]) Object.assign(rate, { perSecond: 1e9, burst: 1e9 });
