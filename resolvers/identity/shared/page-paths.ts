/** Pages of this server that mails lead to; they work without the console. */
export const signInPagePath = '/agent/v1/control-plane/sign-in';

/** Where mailed links of sign-ins lead: the page asks for a click, since scanners of mail follow links. */
export const linkPagePath = `${signInPagePath}/link`;
