import type { AnyPrice } from '../../kernel/run/price.ts';

/** A price of each call by a route of a project: its organization is paid. Contract 03, section 2.11.11. */
export interface RoutePrice {
  readonly family: 'route';
  /** Tells the payments of one payer apart, where the client has said how: two under one key are one. */
  readonly key: string | undefined;
}

export type SaleFacet = AnyPrice | RoutePrice;
