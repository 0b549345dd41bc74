/** Version of the audit gateway's interface, which its archives are named by. Contract 00, section 6.1. */
export const gatewayVersion = '5.0.0';
