/** Texts of the string format rules, as the tests of this folder expect them. */

/** Violation of the DNS label format. */
export const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
/** Violation of the object name format. */
export const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
/** Violation of the environment variable name format. */
export const ENV =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
/** Violation of the header name format. */
export const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
/** Violation of the port range. */
export const PORT = 'must be between 1 and 65535, inclusive'
/** Violation of a non-negative number. */
export const NEGATIVE = 'must be greater than or equal to 0'
/** Violation of a second handler. */
export const ONE_HANDLER = 'may not specify more than 1 handler type'
/** Violation of the qualified name format. */
export const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
/** Violation of the label value format. */
export const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
/** Violation of the IP address format. */
export const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
/** Violation of the user and group ID range. */
export const IDS = 'must be between 0 and 2147483647, inclusive'
