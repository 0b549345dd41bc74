/** Names that people take for the platform's own, or that mail, sign-in and browsers give a meaning to. */
const words = new Set(
  `abuse account accounts acme admin administrator api app apps assets auth autoconfig autodiscover billing blog broadcasthost
  cdn ci cloud console content contact dashboard demo dev developer developers dns docs download downloads edge email events
  files ftp functions gateway git graphql grpc health help home hostmaster imap info internal isatap live local localhost
  localdomain login logout mail mailbox marketplace mcp media metrics mx mta-sts news noc no-reply noreply ns oauth
  official operator org orgs pay payments platform pop pop3 postmaster preview private project projects proxy public
  register registry release root sandbox secure security service shop sign-in sign-up signin signup site sites smtp sql ssh
  ssl staff staging static status storage store support svc sysadmin system team test tls tools trust uploads usenet users
  uucp verify webmail webmaster webhooks wpad ws www www-data`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Numbered name servers and mail hosts; hosts that the platform makes itself; labels that IDNA gives a meaning to. */
const pattern = /^(?:ns|mx|dns|www|smtp|mail)\d+$|^(?:p|pr|dpl)-|^..--/;

/** Whether nobody may claim a name below the platform's domain. */
export const isReservedName = (name: string): boolean => words.has(name) || pattern.test(name);
