import type { Faucet } from '../../engines/faucet/faucet.ts';
import type { LeasedWork } from '../../kernel/durability/leased-work.ts';

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Gives test money away; undefined: the installation has none to give. */
    readonly faucet: Faucet | undefined;
    /** Sends gifts of the faucet on this node. */
    readonly faucetWork: LeasedWork;
  }
}
