/* The version, to be found in the file of each library: strings libsplitpin.so | grep @ */
__attribute__((used, visibility("hidden"))) const char sp_version_mark[] = "@(#)splitpin " SP_VERSION;
