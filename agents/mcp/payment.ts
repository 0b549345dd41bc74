/** Where a call holds its payment. */
export const paymentKey = 'x402/payment';

/** What became of a payment, as a result tells it; nothing while none was made. */
export const settled = (receipt: object | undefined): { readonly _meta?: object } =>
  receipt === undefined ? {} : { _meta: { 'x402/payment-response': receipt } };
