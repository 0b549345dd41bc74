import type { TransferQuery } from './transfers.graphql.ts';

/** One offer, as its page shows it. */
export type Transfer = NonNullable<TransferQuery['projectTransfer']>;
